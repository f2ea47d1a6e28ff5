// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ValidationRegistry} from "../src/registries/ValidationRegistry.sol";
import {RegistryFixture} from "./support/RegistryFixture.sol";
import {vm} from "./support/Vm.sol";

contract ValidationRegistryTest is RegistryFixture {
    function setUp() public override {
        super.setUp();
        register(ALICE);
    }

    function testFuzz_theNamedValidatorAnswers(uint8 answer, address validator, address other) public {
        vm.assume(validator != address(0) && other != validator);
        uint8 response = answer % 101;
        vm.prank(ALICE);
        vm.expectEmit(address(validations));
        emit ValidationRegistry.ValidationRequest(validator, 1, "uri", "request");
        validations.validationRequest(validator, 1, "uri", "request");
        vm.assertFalse(validations.validations("request").isAnswered, "not yet");
        vm.expectRevert(abi.encodeWithSelector(ValidationRegistry.NotValidator.selector, other));
        respond(other, "request", response, "tag");
        vm.warp(NOW + 5);
        vm.prank(validator);
        vm.expectEmit(address(validations));
        emit ValidationRegistry.ValidationResponse(validator, 1, "request", response, "uri", "hash", "tag");
        validations.validationResponse("request", response, "uri", "hash", "tag");
        (address by, uint256 agentId, uint8 given, bytes32 hash, string memory tag, uint256 lastUpdate) =
            validations.getValidationStatus("request");
        vm.assertTrue(by == validator && agentId == 1 && given == response, "answer");
        vm.assertTrue(hash == "hash" && lastUpdate == NOW + 5, "hash and time");
        vm.assertEq(tag, "tag", "tag");
        vm.assertTrue(validations.validations("request").isAnswered, "even if it is zero");
    }

    function test_onlyOwnerAndWhoMayActForHimAsk() public {
        vm.expectRevert(abi.encodeWithSelector(ValidationRegistry.NotAuthorized.selector, STRANGER, 1));
        request(STRANGER, BOB, 1, "request");
        vm.prank(ALICE);
        identities.approve(CAROL, 1);
        request(CAROL, BOB, 1, "by approved");
        vm.prank(ALICE);
        identities.setApprovalForAll(STRANGER, true);
        request(STRANGER, BOB, 1, "by operator");
        vm.assertEq(validations.getAgentValidations(1).length, 2, "of the agent");
        vm.assertEq(validations.getValidatorRequests(BOB)[1], bytes32("by operator"), "of the validator");
        vm.expectRevert(unknownAgent(2));
        request(ALICE, BOB, 2, "request");
        vm.expectRevert(abi.encodeWithSelector(ValidationRegistry.ValidatorNotAllowed.selector, address(0)));
        request(ALICE, address(0), 1, "request");
    }

    function test_aRequestHashIsUsedOnce() public {
        request(ALICE, BOB, 1, "request");
        vm.expectRevert(abi.encodeWithSelector(ValidationRegistry.RequestExists.selector, bytes32("request")));
        request(ALICE, CAROL, 1, "request");
        vm.expectRevert(abi.encodeWithSelector(ValidationRegistry.RequestUnknown.selector, bytes32("other")));
        respond(BOB, "other", 1, "");
        vm.expectRevert(abi.encodeWithSelector(ValidationRegistry.RequestUnknown.selector, bytes32("other")));
        validations.getValidationStatus("other");
        vm.assertEq(validations.validations("other").validatorAddress, address(0), "nothing");
    }

    function test_aSecondAnswerReplacesTheFirst() public {
        request(ALICE, BOB, 1, "request");
        respond(BOB, "request", 100, "soft");
        respond(BOB, "request", 0, "hard");
        vm.assertEq(validations.validations("request").response, 0, "the last");
        vm.assertEq(validations.validations("request").tag, "hard", "its tag");
        vm.expectRevert(abi.encodeWithSelector(ValidationRegistry.ResponseTooLarge.selector, 101));
        respond(BOB, "request", 101, "");
    }

    function test_theSummaryIsOfAnswersThatMatch() public {
        request(ALICE, BOB, 1, "1");
        request(ALICE, BOB, 1, "2");
        request(ALICE, CAROL, 1, "3");
        request(ALICE, CAROL, 1, "unanswered");
        respond(BOB, "1", 100, "a");
        respond(BOB, "2", 51, "b");
        respond(CAROL, "3", 0, "a");
        requireSummary(new address[](0), "", 3, 50);
        requireSummary(only(BOB), "", 2, 75);
        requireSummary(new address[](0), "a", 2, 50);
        requireSummary(only(STRANGER), "", 0, 0);
        vm.assertEq(validations.getIdentityRegistry(), address(identities), "registry");
    }

    function requireSummary(address[] memory validators, string memory tag, uint64 count, uint8 average) private view {
        (uint64 found, uint8 response) = validations.getSummary(1, validators, tag);
        vm.assertEq(found, count, "count");
        vm.assertEq(response, average, "average");
    }
}
