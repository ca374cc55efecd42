import type { DomainName } from 'aws-cdk-lib/aws-apigatewayv2'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront'
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins'
import type { Construct } from 'constructs'
import { acknowledge } from './rule-checks.ts'
import type { CloudFront } from './stage-file.ts'

/** Serves the domain through CloudFront, behind the team's web ACL. @returns the target of the domain's record */
export function createDistribution(scope: Construct, domain: DomainName, { certificateArn, webAclArn }: CloudFront) {
  const distribution = new cloudfront.Distribution(scope, 'distribution', {
    domainNames: [domain.name],
    certificate: Certificate.fromCertificateArn(scope, 'distribution-certificate', certificateArn),
    webAclId: webAclArn,
    httpVersion: cloudfront.HttpVersion.HTTP2_AND_3,
    defaultBehavior: {
      // Its certificate is for the domain, which CloudFront passes on as the Host.
      origin: new HttpOrigin(domain.regionalDomainName),
      originRequestPolicy: cloudfront.OriginRequestPolicy.ALL_VIEWER_AND_CLOUDFRONT_2022,
      cachePolicy: cloudfront.CachePolicy.CACHING_DISABLED,
      allowedMethods: cloudfront.AllowedMethods.ALLOW_ALL,
      viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
    },
  })
  acknowledge(distribution, {
    'AwsSolutions-CFR1': 'Which countries may call is a rule of the web ACL.',
    'AwsSolutions-CFR3': 'API Gateway logs each request.',
  })
  return distribution.domainName
}
